"""Features of a short sound."""

import librosa
import numpy as np

from . import attempt

RNG = np.random.default_rng(0)
RATE = 8000
SOUND = np.sin(np.arange(6000) * 2 * np.pi * 440 / RATE) + 0.1 * RNG.normal(size=6000)


def use_spectra():
    spectrum = librosa.stft(SOUND, n_fft=256)
    attempt(librosa.istft, spectrum, n_fft=256)
    attempt(librosa.griffinlim, abs(spectrum[:, :20]), n_fft=256, n_iter=2)
    attempt(librosa.phase_vocoder, spectrum, rate=1.5, n_fft=256)
    attempt(librosa.reassigned_spectrogram, SOUND, sr=RATE, n_fft=256)
    attempt(librosa.cqt, SOUND, sr=RATE, n_bins=24, fmin=110.0)
    attempt(librosa.lpc, SOUND[:600], order=6)
    attempt(librosa.yin, SOUND, fmin=100, fmax=1000, sr=RATE)
    attempt(librosa.pyin, SOUND[:3000], fmin=200, fmax=800, sr=RATE)
    attempt(librosa.iirt, SOUND, sr=RATE)


def use_features():
    spectrum = abs(librosa.stft(SOUND, n_fft=256))
    attempt(librosa.feature.stack_memory, spectrum[:10], n_steps=3)
    attempt(librosa.feature.tempogram, y=SOUND, sr=RATE)
    attempt(librosa.feature.mfcc, y=SOUND, sr=RATE)
    attempt(librosa.util.shear, spectrum[:20, :20], factor=-1)
    attempt(librosa.util.is_unique, RNG.integers(0, 4, (5, 4)), axis=1)
    attempt(librosa.util.count_unique, RNG.integers(0, 4, (5, 4)), axis=1)
    attempt(librosa.util.localmax, SOUND[:50])
    attempt(librosa.util.peak_pick, SOUND[:200], pre_max=3, post_max=3, pre_avg=3, post_avg=3,
            delta=0.1, wait=3)  # fmt: skip
    attempt(librosa.zero_crossings, SOUND[:100])
    attempt(librosa.onset.onset_detect, y=SOUND, sr=RATE)
    attempt(librosa.beat.beat_track, y=SOUND, sr=RATE)
    attempt(librosa.filters.window_sumsquare, window="hann", n_frames=10, n_fft=64)


def use_sequences():
    one, other = RNG.normal(size=(3, 20)), RNG.normal(size=(3, 25))
    attempt(librosa.sequence.dtw, one, other)
    attempt(librosa.sequence.dtw, one, other, subseq=True)
    similarity = librosa.segment.cross_similarity(one, other, mode="affinity")
    attempt(librosa.sequence.rqa, similarity, knight_moves=True)
    attempt(librosa.sequence.rqa, similarity, knight_moves=False)
    states = RNG.random((4, 30))
    states /= states.sum(axis=0)
    attempt(librosa.sequence.viterbi, states, librosa.sequence.transition_loop(4, 0.8))
    attempt(librosa.sequence.viterbi_discriminative, states, librosa.sequence.transition_uniform(4))


def use_matching():
    starts = np.sort(RNG.random((8, 2)).cumsum(axis=1), axis=1)
    attempt(librosa.util.match_intervals, starts[:5], starts)
    attempt(librosa.util.match_events, np.arange(0.0, 9.0, 2), np.arange(0.0, 9.0))
    attempt(librosa.key_to_notes, "D:min")
    attempt(librosa.fifths_to_note, unison="D", fifths=6)
    attempt(librosa.interval_to_fjs, 3 / 2)
