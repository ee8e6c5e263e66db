import { useEffect, useState } from "react";
import { onChange, optIn, optOut } from "tracklet";

export function ConsentBanner() {
  const [isAsking, setIsAsking] = useState(false);
  // In an effect: a server does not know what the visitor has chosen. Called at once, and when any tab has chosen.
  useEffect(() => onChange((consent) => setIsAsking(consent === "pending")), []);
  if (!isAsking) return null;
  return (
    <section aria-label="Consent">
      <p>May we store which pages you visit and what you do there?</p>
      <button type="button" onClick={optIn}>
        Allow
      </button>
      <button type="button" onClick={optOut}>
        Refuse
      </button>
    </section>
  );
}
