"""The learner that reads: it starts from the similarity of items and labels, and needs no known item."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from math import log
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.base import BaseEstimator

from ...logic.engines import Facts, Floats
from ...logic.errors import CorollaryError
from ...logic.ontology import Ontology
from ..argument_checks import check_flag, check_number, check_whole
from ..features.encoded import NAMES, OWN, PICTURES, RUNS, SEMANTIC, WORDS, Encoded
from ..features.learner_inputs import learn_features, same_features
from ..features.products import one_blas_thread, product
from ..features.targets import read_target
from .crf import LARGEST, informative_rows, thinned
from .fields import Field, loss_of

#: The expected slopes of similarities, by kind. Without a similarity of meaning, letters count for
#: more.
EXPECTED = {SEMANTIC: 1.7, PICTURES: 1.7, OWN: 1.7, WORDS: 0.3, RUNS: 0.3, NAMES: 25.0}
LETTERS_ALONE = 0.7
#: The expected slope of names is scaled by this power of the share of texts that name a label. If
#: most texts name none, a name is a word like any other.
NAMING = 5
#: Once labels have examples, the slopes of similarities shrink to this share, and the similarity to
#: the examples gets this slope.
KEPT = 0.7
LIKE_EXAMPLES = 1.2
#: An item that may have a label counts as an example of it by its probability, times this.
GUESSED = 0.5
#: The prior deviation of a slope, as a share of its expected value. The share is the same for all
#: kinds. Letters are expected to matter little, and a few answers about hard items must not turn
#: them against their labels.
OFF = 0.42
#: The precisions of the common bias, and of each label's bias.
SHIFT = 1.0
BIAS = 0.5
#: The expected bias of a label, for each e-fold of the number of labels. With more labels, an item
#: has a smaller share of them.
RARENESS = -0.6
#: With this number of known items, scores from reading alone count as much as learnt ones.
AS_READ = 20.0
#: They do not count if the known items are this many times more probable without any reading.
DISTRUST = 20.0
#: With this number of items, a label's own mean and spread of similarities count as much as those
#: of all labels.
SHRINK = 10.0
#: The least spread of the cosines of items and examples.
LEAST_SPREAD = np.float32(0.05)


@dataclass(eq=False, repr=False)
class Meaning(Field, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Scores f_ik = Σ a_s z_sik + a e_ik + b_k + w_k . x_i over the worlds that satisfy the ontology.

    z_s is the similarity of item i and label k (see `Encoded`), standardised over the items, except
    for names found in texts. e is the similarity of item i to the examples of label k. Examples are
    known items, and other items by their probability, without item i itself. All labels share the
    slopes a, so the first answers show how far names can be trusted. w are the weights of the
    item's features, shrunk by `l2`. If nothing is known, the slopes have their expected values.
    That is zero-shot classification under the ontology. In `rounds`, probable items become
    examples, which sharpens it.

    After n known items these first scores keep a share of 20 / (20 + n). So a few wrong answers
    hardly make predictions worse. The share is 0 if the known items are far more probable without
    any reading.

    A further fit, on the same items, starts from the weights of the one before.
    """

    onto: Ontology | None = None
    _: KW_ONLY
    l2: float = 0.03
    rounds: int = 3
    iterations: int = 40
    at_most: int = 20_000
    warm_start: bool = True

    onto_: Ontology = field(init=False)
    takes_sparse = False
    reads = True

    @one_blas_thread()
    def fit(self, X: Encoded, y: Any) -> Self:
        """Learn from the known cells of facts y; -1 marks unknown cells, which may be all."""
        self._check_settings()
        goes_on = self.warm_start and hasattr(self, "weights_")
        read = _read(same_features(self, X) if goes_on else learn_features(self, X))
        facts, onto, _ = read_target(y, self.onto, len(read), who="Meaning")
        known = onto.propagate(facts)
        goes_on = goes_on and onto == self.onto_ and read.kinds == self.kinds_
        if not goes_on:
            self._start(read, onto)
        items = self._centred(read.features)
        layers = self._standard(read.similarities)
        if not goes_on:
            self._read_alone(items, layers)
        rows = informative_rows(onto, known)
        n_known = len(rows)
        rows, counts = thinned(known, rows, self.at_most)
        if len(rows):
            self._learn(items, layers, known, rows, counts, goes_on=goes_on)
        self.as_read_ = self._share_as_read(items, layers, known, rows, n_known)
        return self

    @one_blas_thread()
    def decision_function(self, X: Encoded) -> Floats:
        """Return the score of each item and label."""
        read = _read(same_features(self, X))
        items = self._centred(read.features)
        layers = self._standard(read.similarities)
        share = self.as_read_
        learnt = self._scores(items, layers, self._examples.like(items)) if share < 1 else 0.0
        as_read = (
            self._scores_as_read(layers, self._examples_as_read.like(items)) if share > 0 else 0.0
        )
        return np.asarray((1.0 - share) * learnt + share * as_read)

    def first_scores(self, X: Encoded) -> Floats:
        """Return the scores by similarities alone, with their expected slopes."""
        return self._first_scores(self._standard(_read(same_features(self, X)).similarities))

    def _check_settings(self) -> None:
        check_flag("warm_start", self.warm_start)
        for name, least in (("rounds", 1), ("iterations", 0), ("at_most", 1)):
            check_whole(name, getattr(self, name), least=least)
        check_number("l2", self.l2)

    def _start(self, X: Encoded, onto: Ontology) -> None:
        """Learn the scales of all items, known or not, and set the expected slopes."""
        self.onto_ = onto
        self.kinds_ = X.kinds
        self._centre = X.features.mean(axis=0, dtype=np.float64).astype(np.float32)
        scales = [_scale(layer) for layer in X.similarities]
        self._mean = np.array([mean for mean, _ in scales]).reshape(len(scales), len(onto))
        self._spread = np.array([spread for _, spread in scales]).reshape(len(scales), len(onto))
        letters = (
            EXPECTED
            if SEMANTIC in X.kinds
            else EXPECTED | {WORDS: LETTERS_ALONE, RUNS: LETTERS_ALONE}
        )
        # Of each similarity, of the similarity to examples, and of the common bias.
        self._expected = np.array([*(KEPT * letters[kind] for kind in X.kinds), LIKE_EXAMPLES, 0.0])
        self._precision = np.append(1.0 / (OFF * self._expected[:-1]) ** 2, SHIFT)
        for place in np.flatnonzero([kind == NAMES for kind in X.kinds]):
            self._mean[place], self._spread[place] = 0.0, 1.0  # a text without names is no evidence
            self._expected[place] *= X.similarities[place].max(axis=1).mean() ** NAMING
        self._rareness = RARENESS * log(max(2, len(onto)))
        self.slopes_ = self._expected.copy()
        self.trusted_ = self._expected.copy()
        self.bias_ = np.full(len(onto), self._rareness)
        self.weights_ = np.zeros((X.shape[1], len(onto)))

    def _read_alone(self, items: Any, layers: Any) -> None:
        """Guess the examples of each label, with nothing known."""
        nothing = self.onto_.propagate(np.full((1, len(self.onto_)), -1))
        guessed = GUESSED if len(layers) else 0.0  # without similarities, guesses are noise
        scores = self._first_scores(layers)
        for _ in range(self.rounds):
            probable = self.onto_.posterior(expit(scores), np.broadcast_to(nothing, scores.shape))
            like = self._learn_examples(items, np.where(nothing < 0, guessed * probable, nothing))
            scores = self._scores_as_read(layers, like)
        self._examples_as_read = self._examples

    def _learn(
        self, items: Any, layers: Any, known: Facts, rows: Any, counts: Floats, *, goes_on: bool
    ) -> None:
        """Learn from the known cells of some rows, and in rounds from guesses about the others."""
        like = self._examples.like(items) if goes_on else np.zeros_like(known, np.float32)
        if not goes_on:  # how far names can be trusted, before names choose examples
            self._maximise(
                items[rows], layers[:, rows], like[rows], known[rows], counts, weights=False
            )
        probable = self.onto_.posterior(expit(self._scores(items, layers, like)), known)
        for last in range(self.rounds, 0, -1):
            examples = self._learn_examples(items, np.where(known < 0, GUESSED * probable, known))
            self._maximise(
                items[rows],
                layers[:, rows],
                examples[rows],
                known[rows],
                counts,
                weights=last == 1,
            )
            if last > 1:
                probable = self.onto_.posterior(expit(self._scores(items, layers, examples)), known)

    def _share_as_read(
        self, items: Any, layers: Any, known: Facts, rows: Any, n_known: int
    ) -> float:
        """Return the share of scores from reading alone; 0 if the known items disagree with them."""
        if not n_known:
            return 1.0
        if not len(layers):
            return 0.0
        like = self._examples_as_read.like(items[rows])
        scores = self._scores_as_read(layers[:, rows], like)
        as_read, unread = (
            self.onto_.marginals(one, known[rows], propagated=True)[1]
            - self.onto_.marginals(one)[1]
            for one in (scores, np.full_like(scores, self._rareness))
        )  # log-likelihoods of each item's known labels
        # An even mixture for each item, so that one wrong answer cannot decide.
        evidence = float(np.logaddexp(as_read - unread, 0.0).sum() - len(rows) * log(2.0))
        return 0.0 if evidence < -log(DISTRUST) else AS_READ / (AS_READ + n_known)

    def _centred(self, features: Any) -> Any:
        """Return the features minus their mean, scaled to length 1."""
        found = features - self._centre
        return found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)

    def _standard(self, similarities: Any) -> Any:
        return (similarities - self._mean[:, None]) / self._spread[:, None]

    def _learn_examples(self, items: Any, share: Floats) -> Any:
        """Take items as examples by their share (N, K); return the similarity of each item to the others.

        The centre of a label is the sum of its examples, divided by a length: the root of the sum's
        squared length plus that of the same number of unrelated items. If every item is equally
        probable, the centre is about 0.
        """
        share = share.astype(np.float32)
        squares = share**2
        total = product(share.T, items)
        unrelated = squares.sum(axis=0)
        centres = (
            total / np.sqrt(np.maximum(np.square(total).sum(axis=1) + unrelated, 1e-9))[:, None]
        )
        inner = product(items, total.T)
        length = np.square(items).sum(axis=1, keepdims=True)
        without = (
            np.square(total).sum(axis=1)
            - 2 * share * inner
            + squares * length
            + unrelated
            - squares
        )
        found = (inner - share * length) / np.sqrt(np.maximum(without, 1e-9))
        mean, spread = _scale(found)
        # Few items are weak examples, and differences far below those of real texts are ignored.
        spread = np.maximum(spread, LEAST_SPREAD) * np.float32((1 + SHRINK / len(items)) ** 2)
        self._examples = _Examples(centres, mean, spread)
        return (found - mean) / spread

    def _first_scores(self, layers: Any) -> Floats:
        """Return the scores by similarities alone, with their expected slopes."""
        scores = np.tensordot(self._expected[: len(layers)] / KEPT, layers, axes=1) + self.bias_
        return np.asarray(np.clip(scores, -LARGEST, LARGEST), np.float64)

    def _scores_as_read(self, layers: Any, like: Any) -> Floats:
        """Return the scores before anything was known."""
        total = np.tensordot(self._expected[: len(layers)], layers, axes=1)
        total = total + self._expected[-2] * like + self._rareness
        return np.asarray(np.clip(total, -LARGEST, LARGEST), np.float64)

    def _scores(self, items: Any, layers: Any, examples: Any) -> Floats:
        total = (
            np.tensordot(self.slopes_[: len(layers)], layers, axes=1) + self.slopes_[-2] * examples
        )
        total = total + product(items, self.weights_) + (self.bias_ + self.slopes_[-1])
        return np.asarray(np.clip(total, -LARGEST, LARGEST), np.float64)

    def _maximise(
        self, items: Any, layers: Any, examples: Any, known: Facts, counts: Floats, *, weights: bool
    ) -> None:
        """Fit slopes and biases, and the weights if wanted, to the known cells of some items.

        First the slopes alone. The weights could fit the known cells whatever the names mean, so
        misleading names would not be noticed. Then all together, with the first slopes as expected
        values.
        """
        # Contiguous in memory, or selected items would be copied at every step.
        varied = np.ascontiguousarray(
            np.concatenate([layers, examples[None], np.ones_like(examples)[None]])
        )
        n_slopes = len(varied)
        n_labels = known.shape[1]
        loss_of_scores = loss_of(self.onto_, known, counts)

        def loss(flat: Floats, expected: Floats) -> tuple[float, Floats]:
            slopes, bias, weights = np.split(flat, (n_slopes, n_slopes + n_labels))
            weights = weights.reshape(-1, n_labels)  # empty if only the slopes are fitted
            scores = np.tensordot(slopes.astype(varied.dtype), varied, axes=1) + bias
            if len(weights):
                scores += product(items, weights.astype(items.dtype))
            value, slope = loss_of_scores(np.clip(scores, -LARGEST, LARGEST, out=scores))
            off = slopes - expected
            away = bias - self._rareness
            value += 0.5 * float(
                self._precision @ off**2 + BIAS * (away**2).sum() + self.l2 * (weights**2).sum()
            )
            gradient = [
                np.tensordot(varied, slope.astype(varied.dtype), axes=([1, 2], [0, 1]))
                + self._precision * off,
                slope.sum(axis=0) + BIAS * away,
            ]
            if len(weights):
                gradient.append(
                    (product(items.T, slope.astype(items.dtype)) + self.l2 * weights).ravel()
                )
            return value, np.concatenate(gradient)

        def least(start: Floats, expected: Floats, iterations: int) -> Any:
            options = {"maxiter": iterations, "maxcor": 10, "ftol": 1e-6}
            return minimize(loss, start, (expected,), jac=True, method="L-BFGS-B", options=options)

        alone = least(np.append(self.trusted_, self.bias_), self._expected, self.iterations).x
        self.trusted_ = alone[:n_slopes]
        if not weights:
            self.slopes_, self.bias_ = np.split(alone, (n_slopes,))
            return
        start = np.concatenate([self.slopes_, self.bias_, self.weights_.ravel()])
        found = least(start, self.trusted_, self.iterations)
        self.slopes_, self.bias_, flat = np.split(found.x, (n_slopes, n_slopes + n_labels))
        self.weights_ = flat.reshape(-1, n_labels)
        self.loss_ = float(found.fun)


class _Examples(NamedTuple):
    """The examples of each label, and the mean and spread of similarities to them."""

    centres: Any
    mean: Any
    spread: Any

    def like(self, items: Any) -> Any:
        """Return the similarity of other items to the examples of each label (N, K)."""
        return (product(items, self.centres.T) - self.mean) / self.spread


def _scale(layer: Any) -> tuple[Any, Any]:
    """Return mean and spread of each column (N, K), shrunk to those of all columns for few rows."""
    own = np.float32(len(layer) / (len(layer) + SHRINK))
    mean = own * layer.mean(axis=0) + (1 - own) * layer.mean()
    spread = own * layer.std(axis=0) + (1 - own) * layer.std()
    return mean, np.maximum(spread, np.float32(1e-6))


def _read(X: Any) -> Encoded:
    if not isinstance(X, Encoded):
        raise CorollaryError(
            "Meaning learns from items that were read: learning.meaning.reader.Reader makes them of texts"
        )
    return X
