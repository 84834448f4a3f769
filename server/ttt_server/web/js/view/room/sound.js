// Short synthesized tones; off until the user turns them on.

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

export class Sound {
  #audio = null;

  get on() {
    return this.#audio !== null;
  }

  toggle() {
    if (this.#audio) this.#audio.close();
    this.#audio = this.#audio ? null : new AudioContext();
    this.play("turn");
  }

  play(kind) {
    if (!this.#audio) return;
    let at = this.#audio.currentTime;
    for (const [pitch, length] of NOTES[kind]) {
      const tone = new OscillatorNode(this.#audio, { type: "triangle", frequency: pitch });
      const volume = new GainNode(this.#audio, { gain: 0.12 });
      volume.gain.exponentialRampToValueAtTime(0.001, at + length);
      tone.connect(volume).connect(this.#audio.destination);
      tone.start(at);
      tone.stop(at + length);
      at += length;
    }
  }
}
