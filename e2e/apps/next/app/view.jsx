"use client";
import { usePathname, useSearchParams } from "next/navigation";

export function View({ children }) {
  const query = useSearchParams().toString();
  return <main data-view={usePathname() + (query && `?${query}`)}>{children}</main>;
}
