import { make } from "../base/elements.js";

const toText = (value) => (typeof value === "string" ? value : JSON.stringify(value));

/** What is known of a record beside its name. */
export const createTraits = () => {
  const element = make("dl.traits", { "aria-label": "Traits" });
  return {
    element,
    draw({ unique_id, data, stage, salesmachine, created_at }) {
      const { name: _, ...rest } = data;
      const pairs = [
        ["uid", unique_id],
        ...(stage ? [["stage", stage.name]] : []),
        ...(salesmachine.health === undefined ? [] : [["health", salesmachine.health]]),
        ["since", new Date(created_at * 1_000).toLocaleDateString()],
        ...Object.entries(rest),
      ];
      element.replaceChildren(
        ...pairs.map(([key, value]) => make("div", {}, make("dt", {}, key), make("dd", {}, toText(value)))),
      );
    },
  };
};
