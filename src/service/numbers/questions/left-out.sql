-- Who is left out of all figures?
-- Your own accounts and contacts, which no figure counts. `pending`: the figures are still being changed.
-- group: People and accounts
-- page: /left-out
-- none: Nobody is left out.
-- heads: pending = not done yet
SELECT json_build_object('time_zone', coalesce((SELECT zone FROM workspaces WHERE name = :'workspace'), 'UTC'), 'data', coalesce(json_agg(json_build_object('kind', kind, 'id', left_out.id, 'unique_id', told(left_out.unique_id),
    'name', coalesce(to_json(name_in(coalesce(accounts.data, contacts.data))), told(left_out.unique_id)), 'pending', upto IS NOT NULL)
  ORDER BY kind, left_out.id), '[]')) AS answer
FROM left_out LEFT JOIN accounts ON kind = 'account' AND accounts.id = left_out.id LEFT JOIN contacts ON kind = 'contact' AND contacts.id = left_out.id
WHERE left_out.workspace = :'workspace' AND NOT back;
