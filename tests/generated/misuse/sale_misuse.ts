// Misuses of the code for examples/sale, and the words with which the compiler refuses each.
import * as buyer from "./sale_buyer.js";
import * as seller from "./sale_seller.js";
import * as rt from "./treaty_runtime.js";

export async function wrongMessage(link: rt.Link): Promise<void> {
  await seller.start(link).send_goods(); // refused: Property 'send_goods' does not exist on type 'SendOffer'
}

export async function wrongOrder(link: rt.Link): Promise<void> {
  await seller.start(link).receive(); // refused: Property 'receive' does not exist on type 'SendOffer'
}

export function endedTooEarly(link: rt.Link): void {
  buyer.start(link).finish(); // refused: Property 'finish' does not exist on type 'ReceiveOffer'
}

export async function forgottenBranch(link: rt.Link): Promise<void> {
  const offered = await seller.start(link).send_offer(5n);
  const answer = await offered.receive();
  switch (answer.kind) {
    case "leave":
      break;
    default:
      rt.assertNever(answer); // refused: Argument of type 'Received<"order", order, SendGoods>' is not assignable to parameter of type 'never'
  }
}

export async function wrongTypeOfAField(link: rt.Link): Promise<void> {
  await seller.start(link).send_offer("cheap"); // refused: Argument of type 'string' is not assignable to parameter of type 'bigint'
}
