-- outside a transaction
-- Ten thousand rows a transaction. What is run again goes over what is filled already, and changes nothing.
DO $$
DECLARE
  done RECORD;
  upto RECORD;
BEGIN
  SELECT '00000000-0000-0000-0000-000000000000'::uuid AS contact_id, '00000000-0000-0000-0000-000000000000'::uuid AS id INTO done;
  LOOP
    SELECT contact_id, id INTO upto FROM events
      WHERE (contact_id, id) > (done.contact_id, done.id) ORDER BY contact_id, id OFFSET 9999 LIMIT 1;
    UPDATE events SET weight = octet_length(params)
      WHERE (contact_id, id) > (done.contact_id, done.id) AND weight IS NULL
        AND (upto.contact_id IS NULL OR (contact_id, id) <= (upto.contact_id, upto.id));
    COMMIT;
    EXIT WHEN upto.contact_id IS NULL;
    done := upto;
  END LOOP;
END $$;
