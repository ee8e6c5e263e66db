"use client";
import { useEffect } from "react";
import { identify } from "tracklet";

export function Identify({ contact, account }: { contact: string; account: string }) {
  useEffect(() => identify(contact, account), [contact, account]);
  return null;
}
