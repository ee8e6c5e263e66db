"use client";
import { usePathname, useSearchParams } from "next/navigation";
import type { ReactNode } from "react";

export function View({ children }: { children: ReactNode }) {
  const query = useSearchParams().toString();
  return <main data-view={usePathname() + (query && `?${query}`)}>{children}</main>;
}
