/** The panel's looks. Nothing of the page's reaches in, and nothing reaches out. Colours are the browser's, in light and dark. */
export const STYLE = `
:host {
  all: initial !important;
  position: fixed !important;
  inset: auto 16px 16px auto !important;
  z-index: 2147483647 !important;
  display: block !important;
  color-scheme: light dark !important;
}
section {
  box-sizing: border-box; width: min(420px, calc(100vw - 32px)); max-height: min(640px, calc(100vh - 32px));
  display: flex; flex-direction: column; overflow: hidden; text-align: start;
  background: Canvas; color: CanvasText; border: 1px solid; border-radius: 12px; box-shadow: 0 8px 32px rgb(10 20 40 / 24%);
  font: 13px/1.45 system-ui, sans-serif;
}
section:focus-visible { outline: 0; }
header { display: flex; align-items: center; gap: 8px; padding: 10px 12px; border-bottom: 1px solid; }
h2 { flex: 1; margin: 0; font-size: 15px; }
h3 { margin: 14px 0 4px; font-size: 12px; }
button { font: inherit; min-height: 28px; max-width: 12em; }
.body { overflow: auto; padding: 0 12px 12px; overscroll-behavior: contain; }
.body:focus-visible { outline-offset: -2px; }
.body > button { max-width: none; margin-top: 12px; }
p { margin: 6px 0 0; }
p:empty { display: none; }
ul, ol { list-style: none; margin: 0; padding: 0; }
.headline { font-size: 15px; font-weight: 600; }
li { padding: 3px 0 3px 26px; text-indent: -26px; overflow-wrap: anywhere; }
.mark { display: inline-block; width: 18px; margin-right: 4px; border-radius: 9px; text-indent: 0; text-align: center; font-weight: 700; }
/* White on these can be read, whatever lies around them. */
.good .mark { background: #14743f; color: #ffffff; }
.bad .mark { background: #b3261e; color: #ffffff; }
.waits .mark { background: #9a4b06; color: #ffffff; }
code { display: block; font: 12px/1.4 ui-monospace, monospace; text-indent: 0; }
/* What is right takes a line or two, and the stop all that it needs. */
ol .good, .good code, ol .unknown { overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
`;
