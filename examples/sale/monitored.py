"""A program that has its own way of sending, and a monitor that judges what the seller does.

    treaty generate sale.treaty --language python --monitor -o gen
    PYTHONPATH=gen python3 monitored.py
"""
from sale_messages import goods, offer, order
from sale_seller_monitor import Monitor

monitor = Monitor()
print("offer 40:", monitor.sent("buyer", offer(40)) or "allowed")
print("goods:", monitor.sent("buyer", goods()) or "allowed")
print("order 30:", monitor.received("buyer", order(30)) or "allowed")
print("order 40:", monitor.received("buyer", order(40)) or "allowed")
print("next:", monitor.step)
