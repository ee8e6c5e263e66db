/** The event of all measurements, 300 bytes as most real ones: what is tracked, and the same as it is stored and sent. */
export const CONTACT = "contact-5d1c3a70";
export const ACCOUNT = "account-0041";
export const EVENT_UID = "report_exported";

export const PARAMS = {
  display_name: "Exported a report",
  visit_url: "https://app.example.com/reports/quarterly?view=table&group=region",
  format: "spreadsheet",
  rows: 1_284,
  filters: ["region", "quarter", "owner"],
  is_shared: false,
};

export const EVENT = {
  contact_uid: CONTACT,
  event_uid: EVENT_UID,
  params: { account_uid: ACCOUNT, ...PARAMS },
};
