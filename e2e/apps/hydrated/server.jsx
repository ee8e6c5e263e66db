import { renderToString } from "react-dom/server";
import { StaticRouter } from "react-router";
import { App } from "./App.jsx";

/** The markup of the page at this path and query. */
export const render = (url) =>
  renderToString(
    <StaticRouter location={url}>
      <App />
    </StaticRouter>,
  );
