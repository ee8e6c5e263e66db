import Link from "next/link";
import { type ReactNode, Suspense } from "react";
import { LINKS } from "../../links.ts";
import { Identify } from "./identify";
import { LogOut } from "./log-out";
import { View } from "./view";

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        <Identify contact="CONTACT_UID" account="acme" />
        <LogOut href="/logged-out" />
        <nav>
          {Object.entries(LINKS).map(([id, to]) => (
            <Link key={id} id={id} href={to}>
              {id}
            </Link>
          ))}
        </nav>
        <Suspense>
          <View>{children}</View>
        </Suspense>
      </body>
    </html>
  );
}
