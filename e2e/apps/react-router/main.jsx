import "../tracklet.ts";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createBrowserRouter, Link, Outlet, RouterProvider, redirect, useLocation } from "react-router";
import { LINKS } from "../links.ts";
import { ConsentBanner } from "./ConsentBanner.tsx";

function Layout() {
  const { pathname, search } = useLocation();
  return (
    <>
      <ConsentBanner />
      <nav>
        {Object.entries(LINKS).map(([id, to]) => (
          <Link key={id} id={id} to={to}>
            {id}
          </Link>
        ))}
      </nav>
      <main data-view={pathname + search}>
        <Outlet />
      </main>
    </>
  );
}

const router = createBrowserRouter([
  {
    element: <Layout />,
    children: [
      { path: "/old", loader: () => redirect("/new") },
      { path: "/list", loader: async ({ request }) => request.url, element: "List" },
      { path: "*", element: "Page" },
    ],
  },
]);

createRoot(document.getElementById("root")).render(
  <StrictMode>
    <RouterProvider router={router} />
  </StrictMode>,
);
