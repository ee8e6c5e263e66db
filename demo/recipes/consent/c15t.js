import { getOrCreateConsentRuntime } from "c15t";
import { init, optIn, optOut } from "tracklet";

init({ apiToken: "YOUR_API_TOKEN", trackUrl: "https://track.example.com", consent: "pending" });

export const { consentStore } = getOrCreateConsentRuntime({
  mode: "offline",
  consentCategories: ["necessary", "measurement"],
});

let last;
const follow = ({ hasConsented, has }) => {
  // Also true after a refusal: it says that the visitor has chosen.
  if (!hasConsented()) return;
  const choice = has("measurement") ? optIn : optOut;
  if (choice !== last) choice();
  last = choice;
};
consentStore.subscribe(follow);
follow(consentStore.getState());
