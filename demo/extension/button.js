// The button puts the inspector into the page itself, where it finds the tracker. The page's policy has no say in that.
// `tracklet.inspector.js` is to be copied beside this file: an extension runs no code from elsewhere.
chrome.action.onClicked.addListener(async ({ id: tabId }) => {
  const inject = (what) => chrome.scripting.executeScript({ target: { tabId }, world: "MAIN", ...what });
  try {
    await inject({ files: ["tracklet.inspector.js"] });
  } catch (error) {
    // Pages of the browser itself, and shops of extensions, let nothing in.
    await chrome.action.setTitle({ tabId, title: `Inspect tracklet: not on this page (${error.message})` });
  }
});
