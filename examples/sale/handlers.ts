// Both roles of sale.treaty with a handler per message, side by side.
//
//     treaty generate sale.treaty --language typescript --handlers -o .
//     tsc --strict --target es2022 --module nodenext handlers.ts && node handlers.js
import * as buyer from "./sale_buyer_handlers.js";
import * as messages from "./sale_messages.js";
import * as seller from "./sale_seller_handlers.js";
import * as rt from "./treaty_runtime.js";

class Buyer extends buyer.Handlers {
  async on_offer(m: messages.offer, sender: string): Promise<void> {
    await this.send(sender, m.price > 50n ? messages.leave() : messages.order(m.price));
  }
  on_goods(): void {
    console.log("buyer: got the goods");
  }
}

class Seller extends seller.Handlers {
  async on_order(_: messages.order, sender: string): Promise<void> {
    await this.send(sender, messages.goods());
  }
  on_leave(): void {
    console.log("seller: no sale");
  }
}

async function sell(link: rt.Link, price: bigint): Promise<void> {
  const role = new Seller(link);
  await role.send("buyer", messages.offer(price));
  await role.run();
  role.close();
}

for (const price of [40n, 60n]) {
  const network = new rt.MemoryNetwork();
  const role = new Buyer(network.link("buyer"));
  await Promise.all([role.run(), sell(network.link("seller"), price)]);
}
