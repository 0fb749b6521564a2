// Both roles of sale.treaty, side by side.
//
//     treaty generate sale.treaty --language typescript -o .
//     tsc --strict --target es2022 --module nodenext sale.ts && node sale.js
import * as buyer from "./sale_buyer.js";
import * as seller from "./sale_seller.js";
import * as rt from "./treaty_runtime.js";

async function buy(link: rt.Link, budget: bigint): Promise<void> {
  const offered = await buyer.start(link).receive();
  const { price } = offered.message;
  if (price > budget) {
    await offered.next.send_leave();
    return;
  }
  const ordered = await offered.next.send_order(price);
  await ordered.receive();
  console.log(`buyer: got the goods for ${price}`);
}

async function sell(link: rt.Link, price: bigint): Promise<void> {
  const offered = await seller.start(link).send_offer(price);
  const answer = await offered.receive();
  switch (answer.kind) {
    case "order":
      await answer.next.send_goods();
      break;
    case "leave":
      console.log("seller: no sale");
      break;
    default:
      rt.assertNever(answer);
  }
}

for (const price of [40n, 60n]) {
  const network = new rt.MemoryNetwork();
  await Promise.all([buy(network.link("buyer"), 50n), sell(network.link("seller"), price)]);
}
