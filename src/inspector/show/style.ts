/** The panel's looks. Nothing of the page's reaches in, and nothing reaches out. */
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
  --ground: #ffffff; --sunken: #f0f2f6; --line: #d5dae3; --text: #18202e; --muted: #566074;
  --accent: #2f55d4; --bad: #b3261e; --good: #14743f; --waits: #9a4b06; --shade: rgb(20 30 50 / 24%);
  box-sizing: border-box; width: min(420px, calc(100vw - 32px)); max-height: min(640px, calc(100vh - 32px));
  display: flex; flex-direction: column; overflow: hidden;
  background: var(--ground); color: var(--text); border: 1px solid var(--line); border-radius: 12px;
  box-shadow: 0 8px 32px rgb(10 20 40 / 24%);
  font: 13px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", "DejaVu Sans", sans-serif;
  text-align: start;
}
@media (prefers-color-scheme: dark) {
  section {
    --ground: #171d27; --sunken: #10151d; --line: #39445a; --text: #e7ebf3; --muted: #a2adbe;
    --accent: #8fb0ff; --bad: #ff9b92; --good: #6fd59b; --waits: #f5b461; --shade: rgb(0 0 0 / 70%);
  }
}
header { display: flex; align-items: center; gap: 8px; padding: 10px 12px; border-bottom: 1px solid var(--line); }
h2 { flex: 1; margin: 0; font-size: 15px; }
h3 { margin: 14px 0 4px; font-size: 12px; color: var(--muted); }
/* A shadow at the upper or lower edge says that there is more that way. */
.body {
  overflow: auto; padding: 0 12px 12px; overscroll-behavior: contain;
  background:
    linear-gradient(var(--ground) 50%, transparent) top / 100% 36px no-repeat local,
    linear-gradient(transparent, var(--ground) 50%) bottom / 100% 36px no-repeat local,
    linear-gradient(var(--shade), transparent) top / 100% 12px no-repeat scroll,
    linear-gradient(transparent, var(--shade)) bottom / 100% 12px no-repeat scroll;
}
button, select {
  font: inherit; color: var(--text); background: var(--sunken); border: 1px solid var(--line);
  border-radius: 6px; padding: 4px 9px; min-height: 28px; max-width: 12em;
}
.body > button { max-width: none; margin-top: 12px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
section:focus-visible { outline: 0; }
p { margin: 0; color: var(--muted); }
.headline { margin: 10px 0 0; font-size: 15px; font-weight: 600; }
.headline.bad, .bad > .mark { color: var(--bad); }
.headline.good, .good > .mark { color: var(--good); }
.headline.waits, .waits > .mark { color: var(--waits); }
ul, ol { list-style: none; margin: 0; padding: 0; }
li { padding: 3px 0 3px 1.4em; text-indent: -1.4em; border-top: 1px solid var(--line); overflow-wrap: anywhere; color: var(--muted); }
li:first-child { border-top: 0; }
.mark { display: inline-block; width: 1.4em; text-indent: 0; font-weight: 700; }
b, .causes li { color: var(--text); }
.causes li { padding-right: 8px; margin-top: 6px; border: 0; border-radius: 6px; background: var(--sunken); }
code { display: block; font: 12px/1.4 ui-monospace, "Liberation Mono", "DejaVu Sans Mono", monospace; color: var(--text); text-indent: 0; }
/* What is right takes a line or two, and the stop all that it needs. */
.good, .good code, .unknown { overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
.headline, .causes li { white-space: normal; }
@media (max-width: 480px) {
  :host { inset: auto 0 0 0 !important; }
  section { width: 100vw; max-height: 70vh; border-radius: 12px 12px 0 0; border-width: 1px 0 0; }
  button, select { min-height: 40px; }
}
`;
