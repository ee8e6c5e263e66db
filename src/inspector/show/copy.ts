/** Puts text into the clipboard, within a click. */

/** On plain http there is no clipboard for scripts but that of the command: what the page has selected stays out of it. */
const copyByCommand = (text: string): boolean => {
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

/** @returns whether the text is there */
export const copyText = async (text: string): Promise<boolean> => {
  if (!navigator.clipboard) return copyByCommand(text);
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => copyByCommand(text),
  );
};
