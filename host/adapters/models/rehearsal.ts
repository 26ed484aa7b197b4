export const REHEARSAL = 'rehearsal';
