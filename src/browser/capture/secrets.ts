/** How secrets in a URL are told from what people type, choose or filter by: by names, by words, and by the look of a value. */

/** Behind a name come brackets, digits, quotes and escapes such as `%5D`, and `=`, `:` or their escapes. */
const IS = "[^e-z&?/#]*?([=:]|3[ad])";

/** Ends of names whose value is a secret whatever it is: of passwords, in several languages. */
const PASSWORD = "(p(as)?s?|ken).?w(or)?[dt]?|senha|contrase|passe";

/** Ends of names of secrets, some with an everyday meaning, too. */
const STRONG = "srf|auth|sig|signature|pass|pin|otp|s(ession.?)?id|token|secret|cv.|iban|saml";

/** Up to 16 letters, or two digits, are no secret behind those: `pass=season`, `token=eth`. */
const NOT_PLAIN = "(?!([a-z+-]{1,16}|\\d\\d?)(%26|[?&#]|$))";

/** Words of a name or of a path, as `/invite/…`; of numbers that tell who somebody is, too. Each costs about four bytes. */
const WORD =
  "activ|bot|unsub|confirm|magic|reset|invit|verif|hook|[^iprt]code|key|state|log-?in|share|guest|welcome|sso|folder|dob|birth";

/**
 * Behind those, and behind the strong ones in a path: six digits, in groups, too, or digits between letters, as no word has
 * them. `code=SUMMER2024` and `/reset/step-2` stay.
 */
const LIKELY = "(?=(\\W?\\d){6}|[^?&#%]{0,48}[a-z]\\d+[a-z])";

/** Base64 of JSON, a session in the path, and an e-mail address (but not `icon@2x.png` or `react@18.2.0`). */
const UNMISTAKABLE = "\\beyJ|\\(\\w\\(|\\w(@|%\\d*40)(?!\\dx)[\\w-]+\\.[a-z]";

/** The number of a card. */
const NUMBER = "[3-6]\\d{14,15}\\b";

/**
 * 12 letters and digits in a row that change twice from letters to digits, as those made by a machine do, but no UUID. Any value
 * is looked at so, but where the name ends with `d`, as those of most ids do (`gclid`), or with `r` (`cursor`, `after`); the
 * fragment, too, and what stands behind one letter in the path (`/u/…`).
 */
const MADE_BY_MACHINE = "([^dr]=|#|/\\w/)(?!\\w{8}-)(?=[^=/?&#]*?(?=(\\d{0,9}[a-z]{1,9}\\d){2})[a-z\\d]{12})";

/**
 * What stands before a secret, and the secret. Each repetition is bounded, or ends before anything that can begin another
 * match: the time grows linearly with the URL, whatever it holds.
 */
export const SECRET = RegExp(
  `((${PASSWORD})${IS}|(${STRONG})${IS}${NOT_PLAIN}|(${STRONG}|${WORD})[\\w-]{0,20}[=/?#":]${LIKELY}|${MADE_BY_MACHINE}|[=/?&#](?=[^=/?&#]*?(${UNMISTAKABLE})|${NUMBER}))[^?&#]+`,
  "gi",
);
