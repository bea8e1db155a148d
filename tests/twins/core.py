"""Plain NumPy twins of the kernels: slow, short, and what the tests compare with."""

from collections.abc import Callable
from itertools import pairwise, permutations

import numpy as np
from scipy.special import erfc

_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15


def products(rows: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Inner products in double precision."""
    return rows.astype(float) @ points.astype(float).T


def mix64(z: int) -> int:
    """Finaliser of SplitMix64."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


def _join(key: int, word: int) -> int:
    turned = ((key << 23) | (key >> 41)) & _MASK
    return mix64(((turned ^ mix64((word + _GOLDEN) & _MASK)) + _GOLDEN) & _MASK)


def stream_key(seed: int, purpose: int, identity: int) -> int:
    """Key of one item's random stream."""
    return _join(_join(mix64((seed + _GOLDEN) & _MASK), purpose), identity)


def content_key(item: bytes) -> int:
    """Digest of one item."""
    key = mix64((len(item) + _GOLDEN) & _MASK)
    for start in range(0, len(item), 8):
        key = _join(key, int.from_bytes(item[start : start + 8], "little"))
    return key


def uniform_stream(key: int, count: int) -> np.ndarray:
    """First `count` numbers of the stream of `key`: xoshiro256++ seeded by SplitMix64."""
    s = []
    for _ in range(4):
        key = (key + _GOLDEN) & _MASK
        s.append(mix64(key))
    out = np.empty(count)
    for k in range(count):
        total = (s[0] + s[3]) & _MASK
        result = ((((total << 23) | (total >> 41)) & _MASK) + s[0]) & _MASK
        t = (s[1] << 17) & _MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = ((s[3] << 45) | (s[3] >> 19)) & _MASK
        out[k] = (result >> 11) * 2.0**-53
    return out


def hmm_forward(
    codes: np.ndarray, start: np.ndarray, transition: np.ndarray, emission: np.ndarray
) -> tuple[np.ndarray, float]:
    """Filtered state probabilities, shape (length, n_states), and the log-likelihood."""
    alpha = np.empty((len(codes), len(start)))
    total = 0.0
    for t, code in enumerate(codes):
        step = (start if t == 0 else alpha[t - 1] @ transition) * emission[:, code]
        total += np.log(step.sum())
        alpha[t] = step / step.sum()
    return alpha, total


def hmm_statistics(
    codes: np.ndarray, start: np.ndarray, transition: np.ndarray, emission: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return expected starts, transitions and emissions (state, symbol) of one sequence."""
    first, steps = np.zeros_like(start), np.zeros_like(transition)
    out = np.zeros_like(emission)
    if len(codes) == 0:
        return first, steps, out
    alpha, _ = hmm_forward(codes, start, transition, emission)
    beta = np.ones(len(start))
    for t in range(len(codes) - 1, -1, -1):
        gamma = alpha[t] * beta / (alpha[t] @ beta)
        out[:, codes[t]] += gamma
        if t == 0:
            first = gamma
        else:
            future = emission[:, codes[t]] * beta
            joint = alpha[t - 1][:, None] * transition * future
            steps += joint / joint.sum()
            beta = transition @ future
            beta /= beta.sum()
    return first, steps, out


def hmm_features(
    codes: np.ndarray, start: np.ndarray, transition: np.ndarray, emission: np.ndarray
) -> np.ndarray:
    """Return the expected features of one sequence, as the kernel lays them out."""
    first, steps, out = hmm_statistics(codes, start, transition, emission)
    return np.concatenate(
        [first, steps.ravel(), out.ravel(), (steps * log_posterior(steps)).ravel()]
    )


def log_posterior(steps: np.ndarray) -> np.ndarray:
    """Logarithm of the row-normalised expected transitions, 0 where there are none."""
    shares = steps / np.maximum(steps.sum(1, keepdims=True), np.finfo(float).tiny)
    return np.log(np.where(shares > 0, shares, 1.0))


def hmm_path(
    codes: np.ndarray,
    start: np.ndarray,
    transition: np.ndarray,
    emission: np.ndarray,
    uniforms: np.ndarray,
) -> np.ndarray:
    """One state path drawn from P(q | x): `uniforms` are used from the last step to the first."""
    alpha, _ = hmm_forward(codes, start, transition, emission)
    path = np.empty(len(codes), dtype=np.int64)
    for k, t in enumerate(range(len(codes) - 1, -1, -1)):
        weight = alpha[t] if t == len(codes) - 1 else alpha[t] * transition[:, path[t + 1]]
        cumulated = np.cumsum(weight)
        path[t] = np.sum(cumulated[:-1] <= uniforms[k] * cumulated[-1])
    return path


def risks(
    features: np.ndarray, signs: np.ndarray, weights: np.ndarray, u: np.ndarray, convex: bool
) -> tuple[float, float, float, np.ndarray]:
    """Return risk, disagreement, tandem loss and the gradient of risk + disagreement / 2."""
    rows = features.astype(float)
    score = rows @ u
    labelled = signs != 0
    a = np.where(labelled, signs, 1) * score
    loss = 0.5 * erfc(a / np.sqrt(2))
    slope = -np.exp(-0.5 * a**2) / np.sqrt(2 * np.pi)
    tandem = float(np.sum((weights * loss**2)[labelled]))
    below = labelled & (a < 0) & convex
    loss = np.where(below, 0.5 - a / np.sqrt(2 * np.pi), loss)
    slope = np.where(below, -1 / np.sqrt(2 * np.pi), slope)
    risk = float(np.sum((weights * loss)[labelled]))
    opposite = 0.5 * erfc(-score / np.sqrt(2))
    agree = np.where(labelled | convex, 0.0, weights * 2 * loss * opposite)
    factor = np.where(labelled, weights * signs * slope, -weights * slope * (loss - opposite))
    if convex:
        factor = np.where(labelled, factor, 0.0)
    return risk, float(agree.sum()), tandem, factor @ rows


def condition(
    raw: np.ndarray, rates: np.ndarray, mean: np.ndarray, inverse_scale: np.ndarray, clip: float
) -> np.ndarray:
    """Return the conditioned rows of unit length."""
    rows = np.clip((raw.astype(float) * rates[:, None] - mean) * inverse_scale, -clip, clip)
    rows = np.column_stack([rows, np.ones(len(rows))])
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def gmm_posterior(
    items: np.ndarray, weights: np.ndarray, means: np.ndarray, variances: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Log shares of the components, shape (n_items, n_components), and the log-likelihoods."""
    with np.errstate(divide="ignore"):
        logs = np.log(weights)
    distance = ((items[:, None] - means) ** 2 / variances).sum(2)
    joint = logs - 0.5 * (np.log(2 * np.pi * variances).sum(1) + distance)
    largest = joint.max(1, keepdims=True)
    scores = largest + np.log(np.exp(joint - largest).sum(1, keepdims=True))
    return joint - scores, scores[:, 0]


def gmm_statistics(
    items: np.ndarray,
    weights: np.ndarray,
    means: np.ndarray,
    variances: np.ndarray,
    sample_weight: np.ndarray,
) -> np.ndarray:
    """Return weighted shares, differences from the means, and squared differences."""
    shares = np.exp(gmm_posterior(items, weights, means, variances)[0]) * sample_weight[:, None]
    differences = items[:, None] - means
    first = (shares[:, :, None] * differences).sum(0)
    second = (shares[:, :, None] * differences**2).sum(0)
    return np.concatenate([shares.sum(0), first.ravel(), second.ravel()])


def gmm_row(item: np.ndarray, shares: np.ndarray, log_shares: np.ndarray) -> np.ndarray:
    """Features of one item whose hidden variable has the given shares, as the kernel's row."""
    floored = np.maximum(log_shares, np.log(1e-300))
    first, second = np.outer(shares, item), np.outer(shares, item**2)
    return np.concatenate([shares, first.ravel(), second.ravel(), shares * floored])


def gmm_component(log_shares: np.ndarray, uniform: float) -> int:
    """Return the component that a uniform number draws by inversion."""
    cumulated = np.cumsum(np.exp(log_shares))
    return int(np.sum(cumulated[:-1] <= uniform * cumulated[-1]))


def lda_uniforms(key: int, count: int) -> np.ndarray:
    """First `count` numbers of a document's stream: SplitMix64, single."""
    words = [mix64((key + (i + 1) * _GOLDEN) & _MASK) for i in range(count)]
    return np.array([(word >> 40) * 2.0**-24 for word in words], dtype=np.float32)


def lda_prefix(lanes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sums before each of sixteen lanes and with it, in the kernel's order."""
    x = lanes.reshape(4, 4)
    x = np.column_stack([x[:, 0], x[:, 1:] + x[:, :-1]])
    x = np.column_stack([x[:, :2], x[:, 2:] + x[:, :-2]])
    groups = np.zeros((4, 1), dtype=np.float32)
    for group in range(3):
        groups[group + 1] = groups[group] + x[group, 3]
    before = np.column_stack([np.zeros(4, dtype=np.float32), x[:, :3]]) + groups
    return before.ravel(), (x + groups).ravel()


def lda_pick(shares: np.ndarray, uniform: np.float32) -> int:
    """Return the topic that a uniform number draws, down the blocks of sixteen lanes first."""
    n_topics = len(shares)
    blocks = np.zeros((-(-n_topics // 16), 16), dtype=np.float32)
    blocks.ravel()[:n_topics] = shares
    cumulated = np.cumsum(blocks, axis=0, dtype=np.float32)
    before, with_lane = lda_prefix(cumulated[-1])
    target = uniform * with_lane[15]
    lane = int(np.sum(with_lane[: min(n_topics, 16) - 1] <= target))
    topic = lane + 16 * int(np.sum(cumulated[:-1, lane] <= target - before[lane]))
    return topic if topic < n_topics else topic - 16


def lda_sweep(
    words: np.ndarray,
    topics: np.ndarray,
    uniforms: np.ndarray,
    counts: np.ndarray,
    alpha: float,
    *,
    beta: float = 0.0,
    weight: float = 1.0,
    fixed: bool = False,
) -> None:
    """Sweep over a document in place: `topics`, and `counts` (topic, word) unless `fixed`."""
    single = np.float32
    n_topics, n_words = counts.shape
    document = np.bincount(topics, minlength=n_topics).astype(single)
    for i, (word, uniform) in enumerate(zip(words, uniforms, strict=True)):
        document[topics[i]] -= 1
        if fixed:
            shares = counts[:, word] * (document + single(alpha))
        else:
            counts[topics[i], word] -= single(weight)
            totals = counts.sum(1, dtype=np.float64).astype(single) + single(n_words * beta)
            shares = (counts[:, word] + single(beta)) * ((document + single(alpha)) / totals)
        topics[i] = lda_pick(shares, uniform)
        document[topics[i]] += 1
        if not fixed:
            counts[topics[i], word] += single(weight)


def lda_infer(
    words: np.ndarray,
    counts: np.ndarray,
    topics: np.ndarray,
    alpha: float,
    tolerance: float,
    max_passes: int,
) -> tuple[np.ndarray, np.ndarray]:
    """CVB0: q (distinct word, topic) and the expected tokens of each topic, all in single."""
    single, n_topics = np.float32, len(topics)
    width = -(-n_topics // 16) * 16
    rows = np.zeros((len(words), width), dtype=single)
    rows[:, :n_topics] = topics.T[words]
    prior, q = np.zeros(width, dtype=single), np.zeros_like(rows)
    prior[:n_topics] = alpha
    q[:, :n_topics] = single(1) / single(n_topics)
    n_tokens = counts.sum(dtype=single)
    expected = np.zeros(width, dtype=single)
    expected[:n_topics] = n_tokens * (single(1) / single(n_topics))
    for _ in range(max_passes if len(words) else 0):
        change = np.zeros(16, dtype=single)
        for j, count in enumerate(counts):
            weight = rows[j] * (np.maximum(expected - q[j], 0) + prior)
            lanes = np.cumsum(weight.reshape(-1, 16), axis=0, dtype=single)[-1]
            now = weight * (single(1) / lda_prefix(lanes)[1][15])
            step = (now - q[j]) * count
            q[j] = now
            expected = expected + step
            for block in np.abs(step).reshape(-1, 16):
                change = change + block
        expected = np.zeros(width, dtype=single)
        for j, count in enumerate(counts):
            expected = expected + count * q[j]
        if lda_prefix(change)[1][15] <= single(tolerance) * n_tokens:
            break
    return q[:, :n_topics], expected[:n_topics]


def lda_log_shares(expected: np.ndarray, alpha: float) -> np.ndarray:
    """Logarithms of the posterior mean shares of the topics."""
    prior = float(np.float32(alpha))
    tokens = expected.astype(float)
    return np.log((tokens + prior) / (tokens.sum() + prior * len(tokens)))


def lda_row(cells: np.ndarray, log_shares: np.ndarray) -> np.ndarray:
    """Features of a document from its tokens of each topic and word."""
    totals = cells.sum(1)
    return np.concatenate([cells.ravel(), totals, totals * log_shares])


def minimise(
    evaluate: Callable[[np.ndarray], tuple[float, np.ndarray]],
    start: np.ndarray,
    scale: float,
    memory: int,
    max_iter: int,
    tolerance: float,
    slope_tolerance: float,
    sufficient: float,
    curvature: float,
    max_search: int,
) -> tuple[np.ndarray, float, int, int]:
    """L-BFGS with a line search for the strong Wolfe conditions."""
    n_evaluations = 0

    def look(x: np.ndarray) -> tuple[float, np.ndarray]:
        nonlocal n_evaluations
        n_evaluations += 1
        value, slope = evaluate(x)
        return scale * value, scale * slope

    x = start.astype(float)
    value, slope = look(x)
    pairs: list[tuple[np.ndarray, np.ndarray]] = []
    n_iter = 0
    while n_iter < max_iter and np.abs(slope).max(initial=0.0) > slope_tolerance:
        direction = _downwards(slope, pairs)
        found = _line_search(
            look, x, value, slope, direction, not pairs, sufficient, curvature, max_search
        )
        if found is None:
            if not pairs:
                break
            pairs = []
            continue
        new, new_value, new_slope = found
        step, change = new - x, new_slope - slope
        if step @ change > 2.2e-16 * (change @ change):
            pairs = [*pairs, (step, change)][-memory:]
        gain, size = value - new_value, max(abs(value), abs(new_value), 1.0)
        x, value, slope = new, new_value, new_slope
        n_iter += 1
        if gain <= tolerance * size:
            break
    return x, value / scale, n_iter, n_evaluations


def _downwards(slope: np.ndarray, pairs: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """-H slope, with H from the BFGS formula itself."""
    n = len(slope)
    inverse = np.eye(n)
    if pairs:
        step, change = pairs[-1]
        inverse *= (step @ change) / (change @ change)
    for step, change in pairs:
        left = np.eye(n) - np.outer(step, change) / (step @ change)
        inverse = left @ inverse @ left.T + np.outer(step, step) / (step @ change)
    return -inverse @ slope


def _line_search(look, x, value, slope, direction, first, sufficient, curvature, most):  # type: ignore[no-untyped-def]
    """The point, value and gradient where the strong Wolfe conditions hold; None without one."""
    fall = slope @ direction
    if fall >= 0:
        return None
    step = 1 / np.sqrt(-fall) if first and fall < -1 else 1.0
    low, high = (0.0, value, fall), None
    for _ in range(most):
        at = x + step * direction
        here, there = look(at)
        place = (step, here, there @ direction)
        if not (here <= value + sufficient * step * fall and here < low[1]):
            high = place
        elif abs(place[2]) <= -curvature * fall:
            return at, here, there
        else:
            if place[2] * (high[0] - low[0] if high else 1.0) >= 0:
                high = low
            low = place
        step = _between(low, high) if high else 4.0 * step
        if step == low[0]:
            break
    if low[0] == 0:
        return None
    at = x + low[0] * direction
    return at, *look(at)


def _between(low: tuple[float, float, float], high: tuple[float, float, float]) -> float:
    """Where the cubic through two places is lowest, a tenth of the gap away from both."""
    (a, value_a, slope_a), (b, value_b, slope_b) = low, high
    middle = (a + b) / 2
    with np.errstate(all="ignore"):
        slope = slope_a + slope_b - 3 * (value_a - value_b) / (a - b)
        root = np.sign(b - a) * np.sqrt(slope**2 - slope_a * slope_b)
        share = 1 - (slope_b + root - slope) / (slope_b - slope_a + 2 * root)
    if not np.isfinite(value_b) or not np.isfinite(share):
        return middle
    return a + (b - a) * min(max(share, 0.1), 0.9)


def roc_area(positive: list[bool], scores: list[float], n_false: int) -> float:
    """Area under the ROC curve up to `n_false` false positives, over all orders of equal scores."""
    items = range(len(scores))
    areas = []
    for order in permutations(items):
        if any(scores[a] < scores[b] for a, b in pairwise(order)):
            continue
        above, found = 0, []
        for item in order:
            if positive[item]:
                above += 1
            else:
                found.append(above)
        found = found[:n_false]
        areas.append(sum(found) / (len(found) * sum(positive)))
    return sum(areas) / len(areas)


def occupancy(
    codes: np.ndarray,
    start: np.ndarray,
    transition: np.ndarray,
    emission: np.ndarray,
    worth: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> np.ndarray:
    """What each symbol has of a weighted sum of expected starts, steps and emissions."""
    starts, steps, symbols = worth
    out = np.zeros(len(codes))
    if len(codes) == 0:
        return out
    alpha, _ = hmm_forward(codes, start, transition, emission)
    beta = np.ones(len(start))
    for t in range(len(codes) - 1, -1, -1):
        gamma = alpha[t] * beta / (alpha[t] @ beta)
        out[t] += gamma @ symbols[:, codes[t]]
        if t == 0:
            out[0] += gamma @ starts
        else:
            future = emission[:, codes[t]] * beta
            joint = alpha[t - 1][:, None] * transition * future
            half = 0.5 * float(np.sum(joint / joint.sum() * steps))
            out[t] += half
            out[t - 1] += half
            beta = transition @ future
            beta /= beta.sum()
    return out
