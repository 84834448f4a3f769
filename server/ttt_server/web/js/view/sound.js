// Short synthesized tones.

const NOTES = {
  X: [[392, 0.09]],
  O: [[523, 0.09]],
  turn: [
    [523, 0.08],
    [659, 0.12],
  ],
  ended: [
    [523, 0.12],
    [659, 0.12],
    [784, 0.3],
  ],
  said: [[880, 0.05]],
};

let audio = null;

/** Play a tone of `NOTES`. A browser keeps silent until the first press on the page. */
export function playTone(kind) {
  if (!navigator.userActivation?.hasBeenActive) return;
  audio ??= new AudioContext();
  let at = audio.currentTime;
  for (const [pitch, length] of NOTES[kind]) {
    const tone = new OscillatorNode(audio, { type: "triangle", frequency: pitch });
    const volume = new GainNode(audio, { gain: 0.12 });
    volume.gain.exponentialRampToValueAtTime(0.001, at + length);
    tone.connect(volume).connect(audio.destination);
    tone.start(at);
    tone.stop(at + length);
    at += length;
  }
}
