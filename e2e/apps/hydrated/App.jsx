import { StrictMode } from "react";
import { Link, Navigate, Route, Routes, useLocation } from "react-router";
import { LINKS } from "../links.ts";

function View() {
  const { pathname, search } = useLocation();
  return <main data-view={pathname + search}>Page</main>;
}

export function App() {
  return (
    <StrictMode>
      <nav>
        {Object.entries(LINKS).map(([id, to]) => (
          <Link key={id} id={id} to={to}>
            {id}
          </Link>
        ))}
      </nav>
      <Routes>
        <Route path="/old" element={<Navigate to="/new" replace />} />
        <Route path="*" element={<View />} />
      </Routes>
    </StrictMode>
  );
}
