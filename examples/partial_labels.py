"""Train a network end to end on partial labels under an ontology: what is unknown is not taken for no."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits

import corollary as co
from corollary.torch import Consistent, most_probable

onto = co.Ontology.parse("""
    exactly one: vehicle, animal
    vehicle > exactly one: car, ship, plane
    animal  > exactly one: dog, bird, fish
    rule: flies <-> plane | bird
    rule: swims <-> ship | fish
""")

# Things whose labels follow from their features in some secret way. Nobody names the kind of a thing: of the first 300
# it was told, now and then, whether it is a vehicle, whether it flies and whether it swims.
torch.set_num_threads(1)  # so small a network is no work for several
torch.manual_seed(0)
features = torch.randn(1300, 8)
secret = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, len(onto)))
with torch.no_grad():
    truth = most_probable(onto, 6 * secret(features))
facts = torch.full((300, len(onto)), -1, dtype=torch.int8)
for label in ("vehicle", "flies", "swims"):
    told = torch.rand(300) < 0.4
    facts[told, onto.index[label]] = truth[:300][told, onto.index[label]]
known = torch.from_numpy(
    onto.propagate(facts.numpy())
)  # with all that follows: once, not in each step


def network() -> nn.Sequential:
    """A small network: a logit for each label."""
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Dropout(0.3), nn.Linear(64, len(onto)))


def train(model: nn.Module, loss_of: Callable[[Tensor, Tensor], Tensor]) -> nn.Module:
    """All steps of an ordinary training; the loss takes logits, and facts of which -1 is unknown."""
    optimiser = torch.optim.AdamW(model.parameters(), lr=0.01, weight_decay=0.1)
    for _ in range(200):
        optimiser.zero_grad()
        loss_of(model(features[:300]), known).backward()
        optimiser.step()
    return model.eval()


def each_label_alone(logits: Tensor, facts: Tensor) -> Tensor:
    """The usual loss for several labels, on the cells that are known."""
    given = facts >= 0
    return binary_cross_entropy_with_logits(logits[given], facts[given].float())


def report(name: str, predicted: Tensor) -> None:
    """How many predictions break the rules, and of how many every label is right."""
    broken = onto.closure(predicted.numpy())[1].sum()
    right = (predicted == truth[300:]).all(1).float().mean()
    print(f"{name:<38} {broken:4} of {len(predicted)} break the rules; all right: {right:.0%}")


consistent = Consistent(onto)  # a layer without parameters, to put on top of any network
print(
    f"{(facts >= 0).float().mean():.0%} of the cells are told, {(known >= 0).float().mean():.0%} follow.\n"
)


alone, together = train(network(), each_label_alone), train(network(), consistent.loss)
with torch.no_grad():
    logits = alone(features[300:])
    report("each label alone", (logits > 0).to(torch.int8))
    report("... made consistent afterwards", consistent.most_probable(logits))
    print(f"{'':38} the truth costs {consistent.loss(logits, truth[300:]):.2f} nats an item")
    logits = together(features[300:])
    report("trained through the ontology", consistent.most_probable(logits))
    print(f"{'':38} the truth costs {consistent.loss(logits, truth[300:]):.2f} nats an item")
    posterior = consistent(logits)

# Probabilities that add up as the rules want them to.
kinds = [onto.index[label] for label in ("car", "ship", "plane")]
gap = (posterior[:, kinds].sum(1) - posterior[:, onto.index["vehicle"]]).abs().max()
print(f"\nP(car) + P(ship) + P(plane) is P(vehicle) to within {gap:.0e}.")
