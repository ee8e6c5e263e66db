#!/bin/sh
unset MOZ_CRASHREPORTER_SHUTDOWN
exec "$FIREFOX" "$@"
