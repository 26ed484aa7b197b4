/** The bundle that the page reads with the first code it shows. */
import { colour } from './text/colour';

window.belayColour = colour;
