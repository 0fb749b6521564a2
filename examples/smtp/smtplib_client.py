#!/usr/bin/python3
"""Sends one mail with Python's smtplib, dots at the start of lines included: smtplib_client.py PORT"""
import smtplib
import sys

MAIL = "Subject: dots\r\n\r\n.\r\n..two\r\nno dot\r\n"

with smtplib.SMTP("127.0.0.1", int(sys.argv[1]), local_hostname="client.example.org") as link:
    try:
        link.sendmail("ann@example.org", ["bob@example.org", "cat@example.org"], MAIL)
    except smtplib.SMTPException as refused:
        print(refused, file=sys.stderr)
