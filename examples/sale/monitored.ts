// A program that has its own way of sending, and a monitor that judges what the seller does.
//
//     treaty generate sale.treaty --language typescript --monitor -o .
//     tsc --strict --target es2022 --module nodenext monitored.ts && node monitored.js
import { goods, offer, order } from "./sale_messages.js";
import { Monitor } from "./sale_seller_monitor.js";

const monitor = new Monitor();
console.log("offer 40:", monitor.sent("buyer", offer(40n)) ?? "allowed");
console.log("goods:", monitor.sent("buyer", goods()) ?? "allowed");
console.log("order 30:", monitor.received("buyer", order(30n)) ?? "allowed");
console.log("order 40:", monitor.received("buyer", order(40n)) ?? "allowed");
console.log("next:", monitor.step);
