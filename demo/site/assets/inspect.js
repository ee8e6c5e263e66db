// The inspector, as a site would offer it: by `?tracklet_inspect`, and by Ctrl+Alt+I.
{
  // A module runs once for each of its addresses.
  const inspect = () => import(`/dist/tracklet.inspector.js?${Date.now()}`);
  if (/[?&]tracklet_(inspect|mute)\b/.test(location.search)) inspect();
  addEventListener("keydown", ({ ctrlKey, altKey, code }) => {
    if (ctrlKey && altKey && code === "KeyI") inspect();
  });
}
