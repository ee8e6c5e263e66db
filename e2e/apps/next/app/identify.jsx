"use client";
import { useEffect } from "react";
import { identify } from "tracklet";

export function Identify({ contact, account }) {
  useEffect(() => identify(contact, account), [contact, account]);
  return null;
}
