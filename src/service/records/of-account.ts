/** Placeholders of values: the workspace, the key of the account, and its uid as the tables have it. */
interface Values {
  workspace: string;
  id: string;
  uid: string;
}

/**
 * The condition of events that name an account. No index has it, as each event would pay for that: they are found by the keys of its
 * members, and by those who were made none of it, which their events say.
 */
export const ofAccount = ({ workspace, id, uid }: Values): string =>
  `account_uid = ${uid} AND contact_id IN (
     SELECT contact_id FROM account_contacts WHERE account_id = ${id}
     UNION SELECT contact_id FROM events WHERE workspace = ${workspace} AND unlisted AND left(account_uid, 64) = left(${uid}, 64))`;
