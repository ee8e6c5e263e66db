-- A health that is no integer, as JSON. The build before writes `health` alone, which is read first.
ALTER TABLE accounts ADD COLUMN health_value TEXT;
ALTER TABLE contacts ADD COLUMN health_value TEXT;
