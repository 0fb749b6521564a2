#!/bin/sh
# Runs the mail server of postfix on standard input and output, with a configuration and a queue of its own, in which
# what it takes just stays: postfix.sh FOLDER
mkdir -p "$1/conf" "$1/data" "$1/queue/pid" "$1/queue/maildrop" "$1/queue/public" "$1/queue/private" || exit 1
cat >"$1/conf/main.cf" <<END
compatibility_level = 3.6
myhostname = localhost
mydestination = localhost
queue_directory = $1/queue
data_directory = $1/data
local_recipient_maps =
alias_maps =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
smtpd_error_sleep_time = 0
smtpd_soft_error_limit = 1000
smtpd_hard_error_limit = 1000
END
: >"$1/conf/master.cf"
touch -d '1 minute ago' "$1/conf/main.cf" # postfix waits until its configuration has rested
MAIL_CONFIG=$1/conf exec /usr/lib/postfix/sbin/smtpd -S 2>"$1/errors"
