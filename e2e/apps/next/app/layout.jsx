import Link from "next/link";
import { Suspense } from "react";
import { LINKS } from "../../links.ts";
import { Identify } from "./identify.jsx";
import { View } from "./view.jsx";

export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>
        <Identify contact="CONTACT_UID" account="acme" />
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
