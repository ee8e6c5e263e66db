/** A storage area as browsers have it: rows are own properties, a full one throws and keeps the old value. */
export interface FakeArea {
  /** The area, or the exception of a getter that denies it. */
  area: () => Storage;
  /** All rows by their whole key. */
  rows: Record<string, string>;
  /** The access itself throws, as with site data blocked. */
  isDenied: boolean;
  /** Most UTF-16 units, of keys and values together. */
  quota: number;
  /** What adds no more than this fits all the same: a large event does not, a lease does. */
  slack: number;
  /** Is told of each change. */
  onChange: () => void;
}

const measure = (rows: Record<string, string>): number =>
  Object.entries(rows).reduce((sum, [key, value]) => sum + key.length + value.length, 0);

export const createArea = (): FakeArea => {
  const methods: ThisType<Record<string, string>> = {
    getItem(key: string) {
      return Object.hasOwn(this, key) ? this[key] : null;
    },
    setItem(key: string, value: string) {
      if (fake.quota < Number.POSITIVE_INFINITY) {
        const growth = measure({ [key]: `${value}` }) - (Object.hasOwn(this, key) ? measure({ [key]: this[key]! }) : 0);
        if (growth > fake.slack && measure(this) + growth > fake.quota)
          throw new DOMException("full", "QuotaExceededError");
      }
      this[key] = `${value}`;
      fake.onChange();
    },
    removeItem(key: string) {
      delete this[key];
      fake.onChange();
    },
  };
  const rows: Record<string, string> = Object.create(methods);
  const fake: FakeArea = {
    rows,
    isDenied: false,
    quota: Number.POSITIVE_INFINITY,
    slack: 0,
    onChange: () => {},
    area: () => {
      if (fake.isDenied) throw new DOMException("denied", "SecurityError");
      return rows as unknown as Storage;
    },
  };
  return fake;
};

/** Takes all rows out, as `clear()` by the page does. */
export const empty = ({ rows }: FakeArea): void => {
  for (const key of Object.keys(rows)) delete rows[key];
};

/** Leaves no room for more than small rows. */
export const fill = (fake: FakeArea, slack = 0): void => {
  fake.quota = measure(fake.rows);
  fake.slack = slack;
};
