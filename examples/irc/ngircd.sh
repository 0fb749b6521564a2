#!/bin/sh
# Starts ngircd on a port of 127.0.0.1 with a configuration of its own: ngircd.sh PORT FOLDER
sed "s/^Listen.*/&\nPorts = $1/" "$(dirname "$0")/ngircd.conf" >"$2/ngircd.conf"
chmod 755 "$2"
exec /usr/sbin/ngircd -n -f "$2/ngircd.conf"
