"use client";
import { reset } from "tracklet";

export function LogOut({ href }: { href: string }) {
  return (
    <a href={href} onClick={() => reset()}>
      Log out
    </a>
  );
}
