import Link from "next/link";
import { Suspense } from "react";
import { LINKS } from "../../links.ts";
import { View } from "./view.jsx";

// biome-ignore lint/style/noDefaultExport: Next.js asks for one
export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>
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
