"""The two steps of Algorithm 1: assign to stories, discover new ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ustory.discover.assign import Verdicts, decide
from ustory.discover.pairs import candidate_pairs, restrict
from ustory.discover.seed import Seeds, Surroundings, find_seeds
from ustory.discover.similarity import thematic_similarities
from ustory.embed.article import plain_means, relevance
from ustory.embed.story import story_representations
from ustory.embed.strategies import Embedder
from ustory.core.story import Decision
from ustory.engine.draft import Draft
from ustory.themes.articles import own_themes
from ustory.themes.stories import story_themes
from ustory.window.unassigned import Batch

if TYPE_CHECKING:
    from ustory.engine.online import Engine


def embedder_of(draft, engine):
    return Embedder(engine.settings, engine.encoder, {k: draft.state.records[k].sentences for k in draft.unassigned} if engine.settings.representation.endswith("Conc") else {})


def assign_articles(draft: Draft, engine: Engine) -> None:
    draft.excess = {}
    if not draft.stories or not draft.unassigned:
        return
    settings = engine.settings
    with engine.stopwatch("assignment"):
        batch = Batch(list(draft.unassigned.values()))
        stories = list(draft.stories.values())
        with engine.stopwatch("a.themes"):
            themes = story_themes(stories, draft.days, draft.state.vocabulary, settings)
        with engine.stopwatch("a.pairs"):
            pairs = candidate_pairs(batch, themes, len(draft.state.vocabulary))
        with engine.stopwatch("a.reps"):
            reps = {p: story_representations(stories, draft.days, draft.days[p], settings) for p in np.unique(batch.pane).tolist()}
        emb = embedder_of(draft, engine)
        with engine.stopwatch("a.sims"):
            sims = thematic_similarities(batch, pairs, reps, emb)
        engine.stats = dict(n=len(batch), stories=len(stories), pairs=len(pairs), hits=len(pairs.hit_pair), nnz=sims.relevance.nnz)
        v = decide(len(batch), pairs, sims, len(stories), settings)
        draft.excess = {a.id: float(np.exp(v.log_denominator[i]) - len(stories)) for i, a in enumerate(batch.articles)}
    with engine.stopwatch("summary"):
        who = np.flatnonzero(v.assigned)
        keep = np.zeros(len(pairs), bool); keep[v.best[who]] = True
        p = restrict(pairs, keep)
        vec = emb.represent(batch, p.article, relevance(batch, p.hit_pair, p.hit_entry, p.hit_weight, len(p))) if len(p) else None
        names = list(draft.stories)
        if len(p):
            for s in np.unique(p.story).tolist():
                rows = np.flatnonzero(p.story == s)
                draft.join(names[s], [batch.articles[i] for i in p.article[rows].tolist()], vec[rows])
            dec = {}; vv = {}
            for r, (i, s) in enumerate(zip(p.article.tolist(), p.story.tolist())):
                a = batch.articles[i]
                dec[a.id] = Decision(story=names[s], how="assigned", decided_at=draft.end, similarity=float(v.similarity[i]))
                vv[a.id] = vec[r]
            draft.note(dec, vv)


def discover_stories(draft: Draft, engine: Engine) -> None:
    settings = engine.settings
    if len(draft.unassigned) < settings.minimum:
        return
    batch = Batch(list(draft.unassigned.values()))
    emb = embedder_of(draft, engine)
    with engine.stopwatch("initial"):
        if settings.initial == "mean":
            initial = plain_means(batch, settings.sentences)
        else:
            with engine.stopwatch("i.themes"):
                own = own_themes(batch, draft.state.documents, draft.days, draft.state.vocabulary, settings)
            from ustory.discover.pairs import Pairs
            # position of own keyword
            slot = {}
            rows=[];ents=[];ws=[]
            for i in range(len(batch)):
                t = batch.terms[batch.entry_start[i]:batch.entry_start[i+1]]
                k = own.terms[i]; k = k[k>=0]
                pos = {int(x): j for j, x in enumerate(t.tolist())}
                ents += [batch.entry_start[i]+pos[int(x)] for x in k.tolist()]
                rows += [i]*len(k); ws += own.weights[i,:len(k)].tolist()
            initial = emb.represent(batch, np.arange(len(batch)), relevance(batch, np.array(rows,dtype=np.int32), np.array(ents,dtype=np.int32), np.array(ws), len(batch)))
    with engine.stopwatch("seeding"):
        ex = np.array([draft.excess.get(a.id, 0.0) if getattr(draft,'excess',None) else 0.0 for a in batch.articles])
        seeds = find_seeds(batch, initial, Surroundings(list(draft.stories.values()), ex, draft.days, draft.state.vocabulary), emb)
    if seeds is None:
        return
    with engine.stopwatch("summary"):
        dec={};vv={}
        for members in seeds.members:
            s = draft.new_story()
            pr = seeds.pair[members]
            draft.join(s, [batch.articles[i] for i in members.tolist()], seeds.vectors[pr])
            for i, q in zip(members.tolist(), pr.tolist()):
                dec[batch.articles[i].id] = Decision(story=s, how="seeded", decided_at=draft.end, similarity=float(seeds.similarities.total[q]))
                vv[batch.articles[i].id] = seeds.vectors[q]
        draft.note(dec, vv)
