// The lessons in their order. Pure.

export const LESSONS = ["rules", "counts", "lines", "memory"];
