import "../tracklet.ts";
import { A, Navigate, Route, Router, useLocation } from "@solidjs/router";
import { For } from "solid-js";
import { render } from "solid-js/web";
import { LINKS } from "../links.ts";

function Layout(props) {
  const location = useLocation();
  return (
    <>
      <nav>
        <For each={Object.entries(LINKS)}>
          {([id, to]) => (
            <A id={id} href={to}>
              {id}
            </A>
          )}
        </For>
      </nav>
      <main data-view={location.pathname + location.search}>{props.children}</main>
    </>
  );
}

render(
  () => (
    <Router root={Layout}>
      <Route path="/old" component={() => <Navigate href="/new" />} />
      <Route path="*" component={() => "Page"} />
    </Router>
  ),
  document.getElementById("root"),
);
