"""A pool of items in Parquet that may be larger than memory: its best questions, predictions and working sets."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from ..learning.argument_checks import check_onto, check_whole, seed_of
from ..learning.choosing.picks import Pick
from ..learning.choosing.scores import AnyScore
from ..learning.meaning.label_texts import MeaningOf, check_names
from ..learning.question import ItemQuestion, Question
from ..learning.session.options import Asking, Reading, check_share
from ..learning.session.session import Session
from ..learning.stopping.calibration import Learnt
from ..learning.stopping.forecast import Forecast
from ..logic.errors import CorollaryError
from ..logic.language.constraints import first_repeated
from ..logic.ontology import Ontology
from .cluster import Cluster, Progress
from .computing import Computing
from .kept import Kept, key_of
from .model import Learning, Model, fitted
from .outlook import forecast_of
from .predictions import predictions
from .ranking import merged
from .table.columns import Columns, find_columns
from .table.parts import Block, Rows, read_folder
from .table.values import ExtraFacts, ids_in, known_in, learnt_from
from .work import Criteria, Work, drawn_items, survey

#: Items that a model is fitted to, at most: these are in memory, in one place.
TRAIN_ON = 100_000
#: A model is recognised by its beliefs about this number of items.
MARKED = 100


class PoolTold(UserWarning):
    """Some facts or items of a pool are not used."""


class Pool:
    """Items in a folder of Parquet files, which need not fit in memory; Dask computes on them.

    Each item has an id, and a vector, a text or other columns to learn from, or beliefs of your own
    model. Columns are found by their names, as `corollary new` finds them.

    The model is fitted in one place and then sent to the workers. The questions are those that a
    `Session` with this model and all items would ask.

    Parameters
    ----------
    folder
        A folder of Parquet files, or one file.
    onto
        The labels, and the constraints between them.
    facts
        Known labels by the ids of items. Other known labels are in columns named like labels, or
        in a column that lists labels.
    learner, encoder, meaning, random_state
        As for `Session` and `Reading`.
    names
        The words that questions use for labels, see `read_names`.
    train_on
        The largest number of items to fit the model to: known ones first, others at random.
    id, text, vector, labels, beliefs
        The names of columns, if they are not found. `id=":row"` numbers the rows.
    cluster
        The address of a Dask cluster, or a client of one. By default there is one on this machine,
        which `close` ends.
    workers, memory
        The processes of the cluster on this machine, and the memory of each.

    Raises
    ------
    CorollaryError
        If the folder cannot be read, or a column is missing.
    """

    def __init__(
        self,
        folder: str | Path,
        onto: Ontology,
        *,
        facts: Mapping[str, Mapping[str, bool]] | None = None,
        learner: object = "auto",
        encoder: object = "auto",
        meaning: MeaningOf = "auto",
        names: Mapping[str, str] | None = None,
        train_on: int = TRAIN_ON,
        random_state: Any = 0,
        id: str | None = None,
        text: str | None = None,
        vector: str | None = None,
        labels: str | None = None,
        beliefs: str | None = None,
        cluster: Any = None,
        workers: int | None = None,
        memory: str = "4GB",
    ):
        self.onto = check_onto(onto)
        self._names = check_names(names, onto.labels)
        self._folder = read_folder(folder)
        asked = {"id": id, "text": text, "vector": vector, "labels": labels, "beliefs": beliefs}
        self.columns: Columns = find_columns(self._folder.schema, onto, asked)
        self._extra = None if facts is None else ExtraFacts(onto, facts)
        self._learning = Learning(learner, encoder, meaning, seed_of(random_state))
        self._train_on = check_whole("train_on", train_on, least=1)
        self._computing = Computing(self._folder, Cluster(cluster, workers=workers, memory=memory))
        self._model: Model | None = None
        self._mark: Any = ()
        self._n_known: int | None = None

    def __len__(self) -> int:
        """The number of items."""
        return self._folder.rows

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def client(self) -> Any:
        """The client of the Dask cluster, made when first needed.

        Its `dashboard_link` shows the work.
        """
        return self._computing.cluster.client

    def close(self) -> None:
        """End the cluster that this pool started, or leave the one it was given."""
        self._computing.cluster.close()

    # -- the model ---------------------------------------------------------------------------------------------------

    def train(self, *, progress: Progress | None = None) -> None:
        """Fit the model to the known labels, once; methods that need a model call this."""
        if self._model is not None or self.columns.kind == "beliefs":
            return
        chosen = self._to_train_on(progress)
        table = self._computing.rows(self._work(), chosen, self.columns.needed)
        block = Block(chosen, table)
        _, known = known_in(block, self.columns, self.onto, self._extra)
        self._model = fitted(self.onto, learnt_from(block, self.columns), known, self._learning)
        few = learnt_from(Block(chosen[:MARKED], table.slice(0, MARKED)), self.columns)
        self._mark = np.asarray(self._model.beliefs(few))

    def _to_train_on(self, progress: Progress | None) -> Rows:
        """Choose the items to fit a model to.

        Known ones up to `train_on`, then others at random.
        """
        surveys = list(
            self._computing.all(survey, self._work(), self._train_on, progress=progress).values()
        )
        self._n_known = sum(one.n_known for one in surveys)
        if self._extra is not None and (there := sum(one.n_extra for one in surveys)) != len(
            self._extra
        ):
            if there > len(self._extra):
                raise CorollaryError(
                    "some ids are there more than once in the pool, and every item needs its own"
                )
            away = f"{len(self._extra) - there:,} of {len(self._extra):,} items with facts"
            warnings.warn(
                f"{away} are not in the pool, so nothing is learnt from them",
                PoolTold,
                stacklevel=3,
            )
        known = merged((one.known for one in surveys), self._train_on)
        if self._n_known > self._train_on:
            warnings.warn(
                f"{self._n_known:,} items have known labels; the model learns from {self._train_on:,} of them, "
                "drawn at random. If there is more memory, raise train_on",
                PoolTold,
                stacklevel=3,
            )
        others = merged((one.others for one in surveys), self._train_on - len(known.rows))
        return np.sort(np.concatenate([known.rows, others.rows]))

    # -- questions, predictions, forecast
    # ----------------------------------------------------------------------------

    def best_questions(
        self,
        n: int,
        *,
        score: AnyScore = "posterior",
        costs: Mapping[str, float] | None = None,
        item_cost: float | None = None,
        pick: Pick = "never",
        keep: str | Path | None = None,
        progress: Progress | None = None,
    ) -> list[Question | ItemQuestion]:
        """Return the n best questions about the whole pool, best first.

        They are those of a session with `stay=None` and the same score.

        Parameters
        ----------
        n
            The number of questions.
        score, costs, item_cost, pick
            As for `Asking`.
        keep
            A folder from which a stopped run goes on. It is removed at the end.
        progress
            A function that shows the progress.
        """
        check_whole("n", n)
        asking = Criteria(score, dict(costs or {}), item_cost, pick)
        work = self._ready(asking)
        kept = self._kept(keep, "questions", n, asking)
        best = self._computing.best(work, n, whole=True, kept=kept, progress=progress)
        if not len(best.rows):
            return []
        order = np.argsort(best.rows)  # a session breaks ties by the place of items
        known = best.known[order]
        beliefs = best.beliefs[order]
        text = self.columns.text
        table = self._computing.rows(
            work, best.rows[order], (*self.columns.of_id, *([text] if text else []))
        )
        session = Session(
            self.onto,
            None if text is None else [str(one or "") for one in table.column(text).to_pylist()],
            beliefs=beliefs,
            facts=known,
            asking=Asking(score=score, costs=costs, item_cost=item_cost, pick=pick),
            reading=Reading(names=self._names),
            item_ids=self._ids(Block(best.rows[order], table)),
        )
        return session.ask(n)

    def predict(
        self, target: str | Path, *, probabilities: bool = False, progress: Progress | None = None
    ) -> int:
        """Write the most probable legal labelling of every item to a folder of Parquet files.

        Each item has its id and its `labels`, the `origin` of each label (known, implied or
        predicted) and its `probability`. The `risk` is the probability that some label is wrong.
        Parts of the same run that are there already are not computed again.

        Parameters
        ----------
        target
            The folder to write to.
        probabilities
            Whether to add the probabilities of all labels, in the order of the ontology.
        progress
            A function that shows the progress.

        Returns
        -------
        int
            The number of items.
        """
        work = self._ready(Criteria())
        kept = Kept(target, self._key("predict", probabilities))
        kept.begin(replace=False)
        left, before = self._computing.left(kept, "parquet")
        paths = {part: str(kept.path(part, "parquet").resolve()) for part in left}
        each = lambda part: (paths[part], probabilities)  # noqa: E731
        self._computing.all(
            predictions, work, parts=left, each=each, progress=progress, before=before
        )
        kept.tidy()
        return len(self)

    def working_set(
        self,
        n: int,
        *,
        without: Collection[str] = (),
        share_at_random: float = 0.1,
        score: AnyScore = "posterior",
        keep: str | Path | None = None,
        progress: Progress | None = None,
    ) -> Any:
        """Return the n items to label now, as a table of pyarrow, in the order of the pool.

        Parameters
        ----------
        n
            The number of items. Those with the best questions come first.
        without
            The ids of items to leave out, such as those that are being labelled.
        share_at_random
            The share of items drawn at random: they keep the forecast reliable. Without any known
            label and any text, all items are drawn at random.
        score
            The score of questions, see `Asking`.
        keep
            A folder from which a stopped run goes on.
        progress
            A function that shows the progress.
        """
        check_whole("n", n)
        check_share("share_at_random", share_at_random)
        work = self._ready(Criteria(score), without=[str(one) for one in without])
        n_best = 0 if self._ignorant else n - round(share_at_random * n)
        kept = self._kept(keep, "items", n_best, work.asking, work.without)
        chosen = self._computing.best(work, n_best, whole=False, kept=kept, progress=progress).rows
        if len(chosen) < n:
            drawn = self._computing.merged(
                drawn_items, work, n, progress=progress if self._ignorant else None
            ).rows
            chosen = np.concatenate([chosen, drawn[~np.isin(drawn, chosen)][: n - len(chosen)]])
        rows = np.sort(chosen)
        table = self._computing.rows(work, rows, None)
        ids = self._ids(Block(rows, table))
        if self.columns.of_id:
            return table
        return table.drop_columns(
            [name for name in ("id",) if name in table.column_names]
        ).append_column("id", [ids])

    def forecast(
        self,
        *,
        target: float = 0.99,
        level: float = 0.9,
        record: Sequence[Learnt] = (),
        progress: Progress | None = None,
    ) -> Forecast:
        """Forecast how many items are labelled right, and how many questions the target takes.

        It takes some twenty times as long as the best questions.

        Parameters
        ----------
        target
            The share of items that should be wholly right.
        level
            The probability of the intervals.
        record
            Answers and the predictions before them, from `Session.record`. Without them, the
            model's probabilities cannot be corrected.
        progress
            A function that shows the progress.
        """
        work = self._ready(Criteria())
        return forecast_of(
            self._computing, work, record, target=target, level=level, progress=progress
        )

    # -- on the cluster ----------------------------------------------------------------------------------------------

    @property
    def _ignorant(self) -> bool:
        """Whether no label is known, and the model cannot read."""
        return self._n_known == 0 and self._model is not None and not self._model.reads

    def _work(self, asking: Criteria | None = None, without: Sequence[str] = ()) -> Work:
        seed = self._learning.random_state
        return Work(
            self.onto,
            self.columns,
            len(self),
            self._extra,
            self._model,
            asking or Criteria(),
            without,
            seed,
        )

    def _ready(self, asking: Criteria, without: Sequence[str] = ()) -> Work:
        """Check the criteria, fit the model, and return everything that workers need."""
        asking.check(self.onto)
        self.train()
        return self._work(asking, without)

    def _kept(self, place: str | Path | None, *what: object) -> Kept | None:
        return None if place is None else Kept(place, self._key(*what))

    def _key(self, *what: object) -> str:
        extra = () if self._extra is None else (self._extra.ids, self._extra.facts)
        return key_of(self._folder.files, self.columns, str(self.onto), *extra, self._mark, *what)

    def _ids(self, block: Block) -> list[str]:
        ids = ids_in(block, self.columns)
        if (twice := first_repeated(ids)) is not None:
            raise CorollaryError(
                f"the id {twice!r} is there more than once in the pool, and every item needs its own"
            )
        return ids
