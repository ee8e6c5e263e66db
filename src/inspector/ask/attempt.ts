/** Asks for what a page, its storage or its browser may deny; gives something else where they do. */
export const attempt = <Found, Else>(look: () => Found, otherwise: Else): Found | Else => {
  try {
    return look();
  } catch {
    return otherwise;
  }
};
