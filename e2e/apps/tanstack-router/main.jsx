import "../tracklet.ts";
import {
  createRootRoute,
  createRoute,
  createRouter,
  Link,
  Outlet,
  RouterProvider,
  redirect,
  useLocation,
} from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { LINKS } from "../links.ts";

function Layout() {
  const { href } = useLocation();
  return (
    <>
      <nav>
        {Object.entries(LINKS).map(([id, to]) => {
          const [path, page] = to.split("?page=");
          return (
            <Link key={id} id={id} to={path} search={page ? { page: Number(page) } : {}}>
              {id}
            </Link>
          );
        })}
      </nav>
      <main data-view={href}>
        <Outlet />
      </main>
    </>
  );
}

const root = createRootRoute({ component: Layout });
const page = (path, options = {}) =>
  createRoute({ getParentRoute: () => root, path, component: () => path, ...options });
const moved = () => {
  throw redirect({ to: "/new" });
};

const routeTree = root.addChildren([
  page("/"),
  page("/about"),
  page("/list", { validateSearch: ({ page }) => ({ page }), loader: async () => {} }),
  page("/new"),
  page("/old", { beforeLoad: moved }),
]);

createRoot(document.getElementById("root")).render(
  <StrictMode>
    <RouterProvider router={createRouter({ routeTree, defaultPreload: "intent" })} />
  </StrictMode>,
);
