import { useEffect, useState } from "react";
import { consent, optIn, optOut } from "tracklet";

export function ConsentBanner() {
  const [isAsking, setIsAsking] = useState(false);
  // In an effect: a server does not know what the visitor has chosen.
  useEffect(() => setIsAsking(consent() === "pending"), []);
  if (!isAsking) return null;
  const choose = (choice: () => void) => {
    choice();
    setIsAsking(false);
  };
  return (
    <section aria-label="Consent">
      <p>May we store which pages you visit and what you do there?</p>
      <button type="button" onClick={() => choose(optIn)}>
        Allow
      </button>
      <button type="button" onClick={() => choose(optOut)}>
        Refuse
      </button>
    </section>
  );
}
