/**
 * Puts text into the clipboard, within a click. By the browser's command, since on plain http there is no clipboard for scripts; what
 * the page has selected stays out of it.
 *
 * @returns whether the text is there
 */
export const copyText = (text: string): boolean => {
  let isCopied = false;
  const onCopy = (event: ClipboardEvent): void => {
    event.clipboardData?.setData("text/plain", text);
    event.preventDefault();
    event.stopImmediatePropagation();
    isCopied = true;
  };
  addEventListener("copy", onCopy, true);
  document.execCommand("copy");
  removeEventListener("copy", onCopy, true);
  return isCopied;
};
